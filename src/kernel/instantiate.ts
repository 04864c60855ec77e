/** Compiles and instantiates the kernel: the embedded bytes, or bytes that a host brings. Synchronous, in every host. */

import { instantiateSync } from "@assemblyscript/loader";
import { kernelBase64 } from "../../build/kernel-bytes.js";
import { KernelUnavailable } from "../engine.js";
import type { KernelExports } from "./exports.js";

let embedded: WebAssembly.Module | undefined;

export function instantiateKernel(bytes?: Uint8Array): KernelExports {
  try {
    let module: WebAssembly.Module;
    if (bytes === undefined) {
      embedded ??= new WebAssembly.Module(decodeBase64(kernelBase64));
      module = embedded;
    } else module = new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>);
    return instantiateSync(module, {}).exports as unknown as KernelExports;
  } catch (error) {
    throw new KernelUnavailable(
      `WebAssembly kernel: got "${(error as Error).message}", expected a host that compiles WebAssembly with SIMD ` +
        'and has memory left (where it is forbidden, use { engine: "reference" }).',
      { cause: error },
    );
  }
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
