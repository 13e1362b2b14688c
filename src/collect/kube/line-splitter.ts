import { StringDecoder } from 'node:string_decoder';

/** Longer than any line that somebody reads on purpose: what is longer is cut there. */
const longest = 64 * 1024;

/** Cuts bytes that arrive in pieces into lines; `end` gives out the last one. Holds no more than one line. */
export function lineSplitter(each: (line: string) => void): {
  readonly take: (chunk: Buffer) => void;
  readonly end: () => void;
} {
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
