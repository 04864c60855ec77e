/**
 * The workers of a pool and the messages between them and this thread: requests to one worker or to all, which each
 * does in the order in which they were sent, and tasks for whichever worker is free. A worker that fails is an error for
 * everything that is under way and for every request from then on; it ends the others.
 */

import { kernelHash } from "../../build/kernel-hash.js";
import { OutOfMemoryError } from "../engine.js";
import { type Peer, startWorker } from "./host.js";
import type { Request } from "./messages.js";

/** Tasks that a worker has been sent and not answered: with two, the next is there when one is done. */
const MOST_SENT = 2;

/** How long a worker may take to answer for the first time: a script that is no worker's never does. */
const MOST_SECONDS_TO_START = 30;

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
  /** Whether every worker has answered once. */
  #started = false;
  /** Whose index the workers answer from. */
  opened: object | undefined;

  /** Workers that have each answered once. Where one does not, none is left running. */
  static async start(workers: number, script: URL): Promise<Crew> {
    const crew = new Crew();
    const late = setTimeout(
      () => crew.#fail(notStarted(script, `no answer in ${MOST_SECONDS_TO_START} s`)),
      1000 * MOST_SECONDS_TO_START,
    );
    try {
      for (let w = 0; w < workers; w++) {
        crew.#sent.push(0);
        crew.#peers.push(
          await startWorker(script, {
            message: (message) => crew.#receive(message as Reply),
            failed: (reason) =>
              crew.#fail(crew.#started ? ended(w, workers, reason) : notStarted(script, reason)),
          }),
        );
      }
      for (const hash of await crew.all<number>({ kind: "hello" })) {
        if (hash !== kernelHash) throw notStarted(script, "a worker of another version");
      }
      crew.#started = true;
      return crew;
    } catch (error) {
      crew.#fail(error as Error);
      throw crew.#failure;
    } finally {
      clearTimeout(late);
    }
  }

  get size(): number {
    return this.#peers.length;
  }

  /** One request to one worker. */
  request<T>(worker: number, message: Request, transfer: readonly ArrayBuffer[] = []): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      // First, since it throws where something cannot be sent; no answer comes before this function has returned.
      this.#peers[worker].post({ id, message }, transfer);
      this.#waiting.set(id, { resolve: resolve as (reply: unknown) => void, reject });
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

  #receive(message: Reply | null): void {
    // A script that is no worker's sends what it likes.
    const { id, reply, error } = message ?? { id: -1 };
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve(reply);
    else waiting?.reject(revive(error));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#failure);
    this.#waiting.clear();
    for (const peer of this.#peers) void peer.stop();
  }
}

function ended(worker: number, workers: number, reason: string): Error {
  return new Error(
    `Worker ${worker + 1} of ${workers}: got "${reason}", expected it to run until the pool is closed.`,
  );
}

function notStarted(script: URL, reason: string): Error {
  const { href } = script;
  const shown = href.length <= MOST_CHARACTERS ? href : `${href.slice(0, MOST_CHARACTERS)}...`;
  return new Error(
    `Worker script ${shown}: got "${reason}", expected phloem's parallel-worker.js of this version.`,
  );
}

const MOST_CHARACTERS = 200;

/** An error of a worker, in its class. */
function revive({ name, message, bytes }: NonNullable<Reply["error"]>): Error {
  if (name === "OutOfMemoryError") {
    const error = new OutOfMemoryError("Worker", bytes ?? 0);
    error.message = message;
    return error;
  }
  return name === "RangeError" ? new RangeError(message) : new Error(message);
}
