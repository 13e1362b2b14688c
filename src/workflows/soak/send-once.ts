import type { ClusterProber } from '../../collect/cluster-prober.ts';
import { ReadError } from '../../collect/cluster-reader.ts';
import type { AdmissionCallout } from '../../facts/callout.ts';
import type { HttpAnswer } from '../../facts/probes.ts';
import type { DryRunAnswer } from '../../soak/judge-answer.ts';
import type { SoakedObject } from './soaked-object.ts';

/** Milliseconds beyond the webhook's own time, as for doctor's dry runs. */
const timeForOthers = 5_000;

const asDryRunAnswer = ({ status, body }: HttpAnswer): DryRunAnswer => {
  try {
    return { status, body: JSON.parse(Buffer.from(body).toString('utf8')) };
  } catch {
    return { status, body: undefined };
  }
};

/** One request; what keeps it from an answer counts as a failure of it. */
export async function sendOnce(
  prober: ClusterProber,
  { request }: SoakedObject,
  callout: AdmissionCallout,
): Promise<DryRunAnswer | { readonly failure: string }> {
  const late = AbortSignal.timeout(callout.timeoutSeconds * 1000 + timeForOthers);
  try {
    return asDryRunAnswer(await prober.dryRun(request, late));
  } catch (error) {
    if (late.aborted) return { failure: 'the API server did not answer in time' };
    if (error instanceof ReadError) return { failure: error.message };
    throw error;
  }
}
