/** Integer types of AssemblyScript, for assembly/image.ts, which both sides compile. */
declare type u32 = number;
