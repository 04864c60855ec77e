/**
 * The workers of a pool and the messages between them and this thread: requests to one worker or to all, which each
 * does in the order in which they were sent, and tasks for whichever worker is free. A worker that fails is an error for
 * everything that is under way and for every request from then on.
 */

import { OutOfMemoryError } from "../engine.js";
import { type Peer, startWorker } from "./host.js";
import type { Request } from "./messages.js";

/** Tasks that a worker has been sent and not answered: with two, the next is there when one is done. */
const MOST_SENT = 2;

interface Waiting {
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Task extends Waiting {
  readonly message: Request;
}

interface Reply {
  readonly id: number;
  readonly reply?: unknown;
  readonly error?: { readonly name: string; readonly message: string; readonly bytes?: number };
}

/** What a task gave, and which worker did it. */
export interface Done<T> {
  readonly worker: number;
  readonly reply: T;
}

export class Crew {
  readonly #peers: Peer[] = [];
  readonly #waiting = new Map<number, Waiting>();
  readonly #tasks: Task[] = [];
  /** Per worker: its tasks that are under way. */
  readonly #sent: number[] = [];
  #nextId = 0;
  #failure: Error | undefined;
  #size = 0;
  /** Whose index the workers answer from. */
  opened: object | undefined;

  async start(workers: number, script: URL): Promise<void> {
    this.#size = workers;
    for (let w = 0; w < workers; w++) {
      this.#sent.push(0);
      this.#peers.push(
        await startWorker(script, {
          message: (message) => this.#receive(message as Reply),
          failed: (reason) =>
            this.#fail(
              new Error(
                `Worker ${w + 1} of ${workers}: got "${reason}", expected it to run until the pool is closed.`,
              ),
            ),
        }),
      );
    }
  }

  get size(): number {
    return this.#size;
  }

  /** One request to one worker. */
  request<T>(worker: number, message: Request, transfer: readonly ArrayBuffer[] = []): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      this.#waiting.set(id, { resolve: resolve as (reply: unknown) => void, reject });
      this.#peers[worker].post({ id, message }, transfer);
    });
  }

  /** The same request to all workers, or to all but one. */
  all<T>(message: Request, except = -1): Promise<T[]> {
    const others = this.#sent.map((_, worker) => worker).filter((worker) => worker !== except);
    return Promise.all(others.map((worker) => this.request<T>(worker, message)));
  }

  /** A request to whichever worker is free, behind all that wait for one, or before them. */
  task<T>(message: Request, before = false): Promise<Done<T>> {
    return new Promise((resolve, reject) => {
      const task = { message, resolve: resolve as (reply: unknown) => void, reject };
      if (before) this.#tasks.unshift(task);
      else this.#tasks.push(task);
      this.#send();
    });
  }

  /** Forgets the tasks that no worker has been sent. */
  forgetTasks(): void {
    this.#tasks.length = 0;
  }

  /** Ends the workers. What is under way is refused. */
  async stop(): Promise<void> {
    this.#fail(new Error("Pool: got a request after close(), expected none."));
    await Promise.all(this.#peers.map((peer) => peer.stop()));
  }

  #send(): void {
    for (;;) {
      const least = Math.min(...this.#sent);
      const task = least < MOST_SENT ? this.#tasks.shift() : undefined;
      if (task === undefined) return;
      const worker = this.#sent.indexOf(least);
      this.#sent[worker]++;
      const done = () => {
        this.#sent[worker]--;
        this.#send();
      };
      this.request(worker, task.message).then(
        (reply) => {
          done();
          task.resolve({ worker, reply });
        },
        (error) => {
          done();
          task.reject(error);
        },
      );
    }
  }

  #receive({ id, reply, error }: Reply): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(reply);
    else waiting?.reject(revive(error));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
  }
}

/** An error of a worker, in its class. */
function revive({ name, message, bytes }: NonNullable<Reply["error"]>): Error {
  if (name === "OutOfMemoryError") {
    const error = new OutOfMemoryError("Worker", bytes ?? 0);
    error.message = message;
    return error;
  }
  return name === "RangeError" ? new RangeError(message) : new Error(message);
}
