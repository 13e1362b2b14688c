/** The form of a word that agrees with a number: `Pod` and `is` for 1, `Pods` and `are` for any other. */
export const agreeing = (count: number, one: string, many = `${one}s`): string => (count === 1 ? one : many);

/** `1 Pod`, `1 request was`, `12 requests were`: a number with a noun and a verb that agree with it. */
export const counted = (count: number, one: string, many?: string): string =>
  `${count} ${agreeing(count, one, many)}`;

/** `once`, `12 times`. */
export const times = (count: number): string => agreeing(count, 'once', `${count} times`);

/**
 * `1 webhook is`, `3 APIServices are`, `17 webhooks and APIServices are`: counts with the kinds that occur.
 */
export function countedWebhooks(
  those: readonly { readonly kind: string }[],
  [is, are]: readonly [is: string, are: string] = ['', ''],
): string {
  const apis = those.filter(({ kind }) => kind === 'aggregated-api').length;
  const noun = apis === 0 ? 'webhook' : 'APIService';
  if (apis > 0 && apis < those.length) return `${those.length} webhooks and APIServices ${are}`.trim();
  return counted(those.length, `${noun} ${is}`, `${noun}s ${are}`).trim();
}

/** The text if flags select nothing, although something else exists. */
export const noneChosen = (leftOut: number): string =>
  `No webhook matches the namespace (-n) and labels (-l); ${counted(leftOut, 'other is', 'others are')} left out.`;

/** The reason for an empty report: nothing exists, or it could not be read. */
export const noneFound = (notLookedAt: readonly unknown[]): string =>
  notLookedAt.length === 0
    ? 'No webhooks, conversion webhooks or APIServices with a Service in this cluster.'
    : 'No webhook or APIService found, but not everything could be read.';
