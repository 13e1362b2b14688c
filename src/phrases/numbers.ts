/** `once`, `12 times`. */
export const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** `1 request was`, `12 requests were`: a number with the words that follow it. */
export const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;

/** `1 webhook is`, `3 APIServices are`, `17 webhooks and APIServices are`: named for what they are. */
export function countedWebhooks(
  counted: readonly { readonly kind: string }[],
  [is, are]: readonly [is: string, are: string] = ['', ''],
): string {
  const apis = counted.filter(({ kind }) => kind === 'aggregated-api').length;
  const [one, many] = apis === 0 ? ['webhook', 'webhooks'] : ['APIService', 'APIServices'];
  if (apis > 0 && apis < counted.length) return `${counted.length} webhooks and ${many} ${are}`.trim();
  return `${counted.length} ${counted.length === 1 ? `${one} ${is}` : `${many} ${are}`}`.trim();
}

/** Where flags choose nothing: that there would be something else. */
export const noneChosen = (leftOut: number): string =>
  `No webhook matches -n and -l; ${counted(leftOut, 'other is', 'others are')} left out.`;
