import type { AdmissionCallout } from '../../facts/callout.ts';
import { selectorKeys } from '../../facts/objects/label-selector.ts';
import type { AdmissionRequest } from './admission-request.ts';

/** Marks label keys of the webhook's objectSelector as unknown if the labels of the object are unknown. */
export const withUnknownLabels = (
  request: AdmissionRequest,
  { objectSelector }: Pick<AdmissionCallout, 'objectSelector'>,
): AdmissionRequest =>
  request.moreLabels === true && request.labels === undefined
    ? { ...request, unknownLabels: selectorKeys(objectSelector) }
    : request;
