import { wrap } from '../render/terminal/style.ts';
import { terminalLook } from './terminal.ts';

/** Wraps text to the width of a terminal; unchanged if the stream is none. */
export const paragraph = (text: string, stream: NodeJS.WriteStream, first = ''): string =>
  stream.isTTY ? wrap(text, terminalLook(stream).width, first).join('\n') : first + text;
