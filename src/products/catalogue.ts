import { certificateTools } from './known/certificate-tools.ts';
import { declaredState } from './known/declared-state.ts';
import { meshesAndInjectors } from './known/meshes-and-injectors.ts';
import { networkingAndStorage } from './known/networking-and-storage.ts';
import { operators } from './known/operators.ts';
import { platforms } from './known/platforms.ts';
import { policyEngines } from './known/policy-engines.ts';
import { workloadControllers } from './known/workload-controllers.ts';
import type { Product } from './product.ts';

/** All known products, sorted by name. */
export const products: readonly Product[] = [
  ...policyEngines,
  ...meshesAndInjectors,
  ...platforms,
  ...certificateTools,
  ...declaredState,
  ...networkingAndStorage,
  ...workloadControllers,
  ...operators,
].sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
