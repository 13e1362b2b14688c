import type { AdmissionCallout } from '../../facts/callout.ts';
import { selectorKeys } from '../../facts/label-selector.ts';
import type { AdmissionRequest } from './admission-request.ts';

/** A request about an object of which nobody knows the labels: those that the webhook's selector asks for, at least. */
export const unforeseenLabels = (
  request: AdmissionRequest,
  { objectSelector }: Pick<AdmissionCallout, 'objectSelector'>,
): AdmissionRequest =>
  request.moreLabels === true && request.labels === undefined
    ? { ...request, unknownLabels: selectorKeys(objectSelector) }
    : request;
