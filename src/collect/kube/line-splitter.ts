import { StringDecoder } from 'node:string_decoder';

/** Receives the chunks of a body. */
export interface LineSplitter {
  readonly take: (chunk: Buffer) => void;
  /** Emits the last line, if it has no line end. */
  readonly end: () => void;
}

/**
 * Splits a body that arrives in chunks into UTF-8 lines, and buffers one line at a time.
 *
 * @param longest maximum characters per line; the rest of a line is dropped.
 */
export function lineSplitter(each: (line: string) => void, longest = 64 * 1024): LineSplitter {
  const decoder = new StringDecoder('utf8');
  let begun = '';
  const add = (text: string): void => {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      each(begun + line);
      begun = '';
    }
    if (begun.length < longest) begun += last;
  };
  return {
    take: (chunk) => add(decoder.write(chunk)),
    end: () => {
      add(decoder.end());
      if (begun !== '') each(begun);
    },
  };
}
