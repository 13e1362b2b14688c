const hour = 60 * 60 * 1000;
const day = 24 * hour;

/** `in 10 days`, `in 5 hours`, `3 days ago`, from one moment to another (RFC 3339). */
export function spanText(from: string, to: string): string {
  const milliseconds = Date.parse(to) - Date.parse(from);
  const length = Math.abs(milliseconds);
  const [amount, unit] =
    length < 2 * hour
      ? [Math.floor(length / 60_000), 'minute']
      : length < 2 * day
        ? [Math.floor(length / hour), 'hour']
        : [Math.floor(length / day), 'day'];
  const words = `${amount} ${unit}${amount === 1 ? '' : 's'}`;
  return milliseconds < 0 ? `${words} ago` : `in ${words}`;
}
