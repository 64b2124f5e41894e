import type { SetupState } from '@passport/contract/setup'

export const setupSteps = ['consent', 'groups', 'provisioning', 'test'] as const
export type SetupStep = (typeof setupSteps)[number]

export const stepTitles: Record<SetupStep, string> = {
  consent: 'Consent',
  groups: 'Groups',
  provisioning: 'Provisioning',
  test: 'Test',
}

/** The steps after the consent need it. */
export const canOpen = (step: SetupStep, { tenant }: Pick<SetupState, 'tenant'>): boolean =>
  step === 'consent' || tenant.consent === 'granted'

/**
 * Returns the step to show: that of the address if it can be opened, otherwise the first that is due. The result of a
 * test is shown in its step.
 */
export function findShownStep(
  { step, test }: { step?: unknown; test?: unknown },
  state: Pick<SetupState, 'tenant' | 'mappings'>,
): SetupStep {
  const named = test === undefined ? setupSteps.find((candidate) => candidate === step) : 'test'
  if (named && canOpen(named, state)) return named
  if (!canOpen('groups', state)) return 'consent'
  return state.tenant.testedAt !== null ? 'test' : 'groups'
}

/** The props of a step. */
export interface StepProps {
  state: SetupState
  onGo: (step: SetupStep) => void
}
