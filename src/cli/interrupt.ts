/** The exit code after Ctrl-C: 128 + SIGINT. */
export const interruptedExitCode = 130;

const handlers: (() => void)[] = [];
let interrupts = 0;

/** Makes Ctrl-C end the program with 130, unless a handler is set; the second Ctrl-C always ends it. */
export function exitOnInterrupt(): void {
  process.on('SIGINT', () => {
    interrupts += 1;
    const handler = handlers.at(-1);
    if (handler === undefined || interrupts > 1) process.exit(interruptedExitCode);
    handler();
  });
}

/**
 * Sets a handler for the first Ctrl-C, for work to finish or a question to ask. The newest one is called.
 * Returns the function that removes it.
 */
export function onInterrupt(handler: () => void): () => void {
  // The first Ctrl-C was handled already.
  interrupts = 0;
  handlers.push(handler);
  return () => {
    const at = handlers.lastIndexOf(handler);
    if (at >= 0) handlers.splice(at, 1);
  };
}
