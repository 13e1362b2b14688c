import { wrap } from '../render/terminal/wrap.ts';
import { terminalLook } from './terminal.ts';

/** Text in lines that end where a terminal does; as it is, where the stream is none. */
export const paragraph = (text: string, stream: NodeJS.WriteStream, first = ''): string =>
  stream.isTTY ? wrap(text, terminalLook(stream).width, first).join('\n') : first + text;
