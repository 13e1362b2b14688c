import { changeId } from './journal.ts';
import type { Prepared } from './prepare.ts';
import { type ChangeRequest, type Marking, requestsFor } from './requests.ts';

/** A prepared plan with the very requests that will be made. */
export interface Ready extends Prepared {
  readonly id: string;
  /** RFC 3339. */
  readonly at: string;
  readonly until?: string;
  readonly marking: Marking;
  readonly requests: readonly ChangeRequest[];
}

/** Gives the change its id and works out its requests. `until`: when it is meant to be taken back. */
export function ready(prepared: Prepared, now: Date, until?: Date, id = changeId(now)): Ready {
  const at = now.toISOString();
  const deadline = until === undefined ? {} : { until: until.toISOString() };
  const mark = { id, remedy: prepared.plan.remedy, at, ...deadline };
  const marking = { mark };
  const requests = requestsFor(prepared.steps, prepared.objects, marking);
  return { ...prepared, id, at, ...deadline, marking, requests };
}
