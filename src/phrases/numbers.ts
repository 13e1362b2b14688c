/** `once`, `12 times`. */
export const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** `1 request was`, `12 requests were`: a number with the words that follow it. */
export const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;
