/** klog: `W1122 07:15:01.123456   12 dispatcher.go:217] …`, in the time of whoever wrote it; no year. */
const klog =
  /(?:^|\s)[IWEF](?<month>\d\d)(?<day>\d\d) (?<hours>\d\d):(?<minutes>\d\d):(?<seconds>\d\d)\.(?<rest>\d{3})\d*\s/;
const rfc3339 = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)/;

const valid = (milliseconds: number): number | undefined =>
  Number.isFinite(milliseconds) && milliseconds > 0 && milliseconds < 4e12 ? milliseconds : undefined;

/** A time as JSON logs have it: RFC 3339, seconds or milliseconds since 1970. */
export function timeOfValue(value: unknown): number | undefined {
  if (typeof value === 'string') return valid(Date.parse(value.replace(',', '.')));
  if (typeof value !== 'number') return undefined;
  return valid(value < 1e11 ? value * 1000 : value);
}

/**
 * The time that a line of text begins with. klog tells no year: it is the latest that does not lie in the future (a day
 * is granted to clocks and time zones), and its time is taken as UTC, as components in Pods write it.
 */
export function timeOfLine(line: string, now: number): number | undefined {
  const head = line.slice(0, 120);
  const stamp = rfc3339.exec(head);
  if (stamp !== null) return timeOfValue(stamp[0].replace(' ', 'T'));
  const groups = klog.exec(head)?.groups;
  if (groups === undefined) return undefined;
  const { month, day, hours, minutes, seconds, rest } = groups;
  const inYear = (year: number): number =>
    Date.UTC(
      year,
      Number(month) - 1,
      Number(day),
      Number(hours),
      Number(minutes),
      Number(seconds),
      Number(rest),
    );
  const year = new Date(now).getUTCFullYear();
  const thisYear = inYear(year);
  return valid(thisYear > now + 24 * 3600 * 1000 ? inYear(year - 1) : thisYear);
}
