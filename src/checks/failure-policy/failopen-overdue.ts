import { secondsSince } from '../../basics/time.ts';
import { isAdmission } from '../../facts/callout.ts';
import { changeRecords, opens, recordKey } from '../../facts/change-record.ts';
import { defineCheck, note } from '../check.ts';

/** Formats a duration: `25 min`, `3 h 20 min`, `2 days`. */
function span(seconds: number): string {
  const minutes = Math.max(1, Math.round(seconds / 60));
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 48 * 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  return `${Math.round(minutes / 1440)} days`;
}

export const failopenOverdue = defineCheck({
  meta: {
    id: 'failopen-overdue',
    title: 'Temporary fail-open is overdue',
    severity: 'error',
    why: '`failopen --for` recorded in the object how long requests may be admitted unchecked. The cluster does not restore failurePolicy by itself, and the command that should have done so exited earlier or failed.',
    advice:
      '[end] Restore the previous value: `kubectl webhook undo {configuration}`. [end] If the webhook still does not respond, find out why first: afterwards its requests are refused again.',
    noRemedy: { because: 'kubectl webhook undo restores the previous value' },
    messages: {
      overdue: '{webhook} fails open since {since}; change {id} should have been undone {late} ago',
      running: note('{webhook} fails open for another {left}, until {until} (change {id})'),
    },
  },
  requires: ['callouts'],
  subjects: ({ callouts }) =>
    callouts.filter(isAdmission).filter(({ failurePolicy }) => failurePolicy === 'Ignore'),
  run({ ref, webhook, metadata }, { takenAt }, find) {
    return changeRecords(metadata)
      .filter((record) => opens(record, webhook))
      .flatMap(({ id, at, until }) => {
        const late = secondsSince(until, takenAt);
        if (until === undefined || late === undefined) return [];
        const field = `metadata.annotations["${recordKey(id)}"]`;
        const evidence = [{ object: ref, field, value: `until ${until}` }];
        return late > 0
          ? find('overdue', { webhook, since: at, late: span(late), id }, evidence)
          : find('running', { webhook, left: span(-late), until, id }, evidence);
      });
  },
});
