import { describeDoctor } from '../diagnosed.ts';
import { bundlesAndInjectors } from '../states/bundles-and-injectors.ts';

describeDoctor('bundles and injectors', bundlesAndInjectors);
