import { describeDoctor } from '../diagnosed.ts';
import { policiesAndOwnPods } from '../states/policies-and-own-pods.ts';

describeDoctor('policies and own Pods', policiesAndOwnPods);
