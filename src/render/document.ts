import { type NotLookedAt, unreadDocument } from '../facts/unread.ts';

/** A report as JSON and YAML have it: what it holds as references is put in words. */
export const reportDocument = <R extends { readonly notLookedAt?: readonly NotLookedAt[] }>(report: R) =>
  report.notLookedAt === undefined
    ? report
    : { ...report, notLookedAt: report.notLookedAt.map(unreadDocument) };
