/** Workers of whichever host this is, Node's `worker_threads` or Web Workers: the only place that asks. */

/** The other side of a channel. */
export interface Peer {
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  /** Ends the worker. */
  stop(): Promise<void>;
}

export interface Listener {
  message(message: unknown): void;
  /** The worker has failed or ended; why, in words. */
  failed(reason: string): void;
}

const UNREADABLE = "a message that cannot be read";

/** In place of a worker that the host refuses to start. */
const NONE: Peer = { post: () => undefined, stop: () => Promise.resolve() };

const isNode = typeof process === "object" && typeof process.versions?.node === "string";

/** How many workers the host runs side by side. */
export async function availableWorkers(): Promise<number> {
  if (!isNode) return navigator.hardwareConcurrency ?? 1;
  const { availableParallelism } = await import("node:os");
  return availableParallelism();
}

/** Whether memory can be shared with workers. */
export function canShare(): boolean {
  return typeof SharedArrayBuffer === "function" && (isNode || globalThis.crossOriginIsolated === true);
}

/** Starts a worker. One that does not start has failed, sooner or later. */
export async function startWorker(url: URL, listener: Listener): Promise<Peer> {
  if (isNode) {
    const { Worker } = await import("node:worker_threads");
    let worker: InstanceType<typeof Worker>;
    try {
      worker = new Worker(url);
    } catch (error) {
      listener.failed((error as Error).message);
      return NONE;
    }
    let stopped = false;
    worker.on("message", (message) => listener.message(message));
    // What is thrown may be anything.
    worker.on("error", (error: unknown) =>
      listener.failed(error instanceof Error ? error.message : String(error)),
    );
    worker.on("messageerror", () => listener.failed(UNREADABLE));
    worker.on("exit", (code) => {
      if (!stopped) listener.failed(`exit with code ${code}`);
    });
    return {
      post: (message, transfer = []) => worker.postMessage(message, [...transfer]),
      async stop() {
        stopped = true;
        await worker.terminate();
      },
    };
  }
  let worker: Worker;
  try {
    worker = new Worker(url, { type: "module" });
  } catch (error) {
    listener.failed((error as Error).message);
    return NONE;
  }
  worker.onmessage = ({ data }) => listener.message(data);
  worker.onerror = ({ message }) => listener.failed(message || "an error while it was loaded");
  worker.onmessageerror = () => listener.failed(UNREADABLE);
  return {
    post: (message, transfer = []) => worker.postMessage(message, [...transfer]),
    stop: async () => worker.terminate(),
  };
}

type Handle = (message: unknown) => { reply: unknown; transfer?: readonly ArrayBuffer[] };

/** Inside a worker: answers each message by what `handle` returns, or by the error that it throws. */
export async function serve(handle: Handle): Promise<void> {
  const answer = (
    { id, message }: { id: number; message: unknown },
    post: (message: unknown, transfer: ArrayBuffer[]) => void,
  ): void => {
    let result: ReturnType<Handle>;
    try {
      result = handle(message);
    } catch (error) {
      const { name, message: text, bytes } = error as Error & { bytes?: number };
      post({ id, error: { name, message: text, bytes } }, []);
      return;
    }
    post({ id, reply: result.reply }, [...(result.transfer ?? [])]);
  };
  if (isNode) {
    const { parentPort } = await import("node:worker_threads");
    const port = parentPort!;
    port.on("message", (request) =>
      answer(request, (message, transfer) => port.postMessage(message, transfer)),
    );
    return;
  }
  const scope = globalThis as unknown as {
    onmessage: (event: MessageEvent) => void;
    postMessage: (message: unknown, transfer: ArrayBuffer[]) => void;
  };
  scope.onmessage = ({ data }) => answer(data, (message, transfer) => scope.postMessage(message, transfer));
}
