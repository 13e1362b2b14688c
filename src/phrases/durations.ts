import { counted } from './lists.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** `40 seconds`, `5 minutes`, `5 hours`, `10 days`: whole units, the smaller one up to two of the larger. */
export function durationText(milliseconds: number): string {
  if (milliseconds < minute) return counted(Math.floor(milliseconds / 1000), 'second');
  if (milliseconds < 2 * hour) return counted(Math.floor(milliseconds / minute), 'minute');
  if (milliseconds < 2 * day) return counted(Math.floor(milliseconds / hour), 'hour');
  return counted(Math.floor(milliseconds / day), 'day');
}

/** `in 10 days`, `3 days ago`, `just now`, from one moment to another (RFC 3339). */
export function spanText(from: string, to: string): string {
  const milliseconds = Date.parse(to) - Date.parse(from);
  if (milliseconds <= 0 && milliseconds > -1000) return 'just now';
  const words = durationText(Math.abs(milliseconds));
  return milliseconds < 0 ? `${words} ago` : `in ${words}`;
}

/** `90 s`, `12 min`, `3 h`, `4 d`: the largest unit with a count of at least two, for narrow columns. */
export function shortDuration(seconds: number): string {
  const rounded = (unit: number): number => Math.round(seconds / unit);
  if (seconds < 120) return `${seconds} s`;
  if (rounded(60) < 120) return `${rounded(60)} min`;
  return rounded(3600) < 48 ? `${rounded(3600)} h` : `${rounded(86_400)} d`;
}

/** `12 min 30 s`, `30 s`: the remaining time of a countdown. */
export function countdownText(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
