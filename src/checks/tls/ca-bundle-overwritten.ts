import { withExaminedCertificates } from '../../serving-certificates/chains.ts';
import { writerFacts } from '../../serving-certificates/writer/problem.ts';
import { writerProblem } from '../../serving-certificates/writer/writer-problem.ts';
import { defineCheck } from '../check.ts';

const writeAgain =
  'Then let the injector, operator or Job write the CA again; the configuration shows the managers: `kubectl get {kind} {configuration} -o yaml --show-managed-fields`.';

export const caBundleOverwritten = defineCheck({
  meta: {
    id: 'ca-bundle-overwritten',
    title: 'An applied manifest overwrites the caBundle',
    severity: 'error',
    consequence: 'failing',
    explains: { 'ca-not-injected': 5, 'unknown-authority': 5, 'ca-bundle-invalid': 3, 'apply-conflict': 4 },
    why: 'Argo CD, Flux, Helm or a script applies a manifest that does not contain the CA. An explicit empty `caBundle` in it, or a replacement of the whole object, removes what an injector, an operator or a Job has written, until that writes again.',
    advice: `Let the tool that applies the manifest ignore the field (Argo CD: \`ignoreDifferences\` with \`RespectIgnoreDifferences=true\`). ${writeAgain}`,
    noRemedy: {
      because: 'the next sync would remove the caBundle again: the manifest must change',
    },
    messages: {
      declaredEmpty: {
        text: '{writer} sets an empty caBundle in its manifest ({detail}), which removes the injected one',
        advice: `Remove \`caBundle\` from the manifest or chart value. ${writeAgain}`,
      },
      declaredOther: {
        text: '{writer} writes a caBundle from its manifest ({detail}), and the serving certificate is signed by another CA',
        advice: `Remove \`caBundle\` from the manifest, or let the tool ignore the field (Argo CD: \`ignoreDifferences\` with \`RespectIgnoreDifferences=true\`). ${writeAgain}`,
      },
      replaced: {
        text: '{writer} replaces the whole configuration at each sync, which removes the caBundle ({detail})',
        advice: `Remove \`Replace=true\` from the sync options in the manifest. ${writeAgain}`,
      },
      overwritten: '{writer} wrote the configuration last, at {detail}, and left it without a caBundle',
    },
    follows: ['ca-bundle-fought-over', 'served-certificate-differs-from-secret'],
    references: ['https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/'],
  },
  requires: writerFacts,
  subjects: withExaminedCertificates,
  run(callout, facts, find) {
    const found = writerProblem(facts, callout);
    if (
      found?.why !== 'declaredEmpty' &&
      found?.why !== 'declaredOther' &&
      found?.why !== 'replaced' &&
      found?.why !== 'overwritten'
    )
      return undefined;
    const { why, writer, detail, evidence } = found;
    return find(why, { writer, detail }, evidence);
  },
});
