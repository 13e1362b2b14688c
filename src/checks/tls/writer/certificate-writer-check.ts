import { defined } from '../../../basics/collections.ts';
import { withExaminedCertificates } from '../../../serving-certificates/chains.ts';
import { type WriterProblem, writerFacts } from '../../../serving-certificates/writer/writer-facts.ts';
import { writerProblem } from '../../../serving-certificates/writer/writer-problem.ts';
import { type CheckMeta, defineCheck, type Find, type Messages } from '../../check.ts';

/** Checks whose findings explain why nothing writes the current certificate or caBundle. */
export const writerFails = [
  'certificate-job-failed',
  'certificate-writer-not-running',
  'ca-bundle-overwritten',
  'certificate-writer-not-leader',
  'service-account-lacks-rights',
] as const;

/** The specific parts of a check about a writer. Its messages name the problems that it reports. */
interface CertificateWriterCheck<A extends string>
  extends Omit<CheckMeta<Messages, A>, 'severity' | 'consequence' | 'messages' | 'follows'> {
  readonly messages: { readonly [Why in WriterProblem['why']]?: Messages[string] };
}

/** Defines a check that finds webhooks whose certificate or caBundle a controller did not write, for some reasons. */
export const certificateWriterCheck = <const A extends string>(meta: CertificateWriterCheck<A>) =>
  defineCheck({
    meta: {
      ...meta,
      consequence: 'failing',
      follows: ['ca-bundle-fought-over', 'served-certificate-differs-from-secret'],
    } as CheckMeta,
    requires: writerFacts,
    subjects: withExaminedCertificates,
    run(callout, facts, find: Find<Messages>) {
      const found = writerProblem(facts, callout);
      if (found === undefined || !(found.why in meta.messages)) return undefined;
      const { why, writer, detail, evidence, job, affected, lease, missing, pod: holder } = found;
      const data = defined({ writer, detail }) as Readonly<Record<string, string>>;
      return find(why, data, evidence, { job, affected, lease, missing, holder });
    },
  });
