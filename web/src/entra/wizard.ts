import type { OrgEntra } from '@passport/contract/org-entra'
import type { Org } from '@passport/contract/orgs'

export const wizardSteps = ['tenant', 'consent', 'groups', 'review'] as const
export type WizardStep = (typeof wizardSteps)[number]

export const stepTitles: Record<WizardStep, string> = {
  tenant: 'Tenant',
  consent: 'Consent',
  groups: 'Groups and roles',
  review: 'Review',
}

/** The state of the wizard in the URL: the organisation once it exists, before that the search for its tenant. */
export interface WizardSearch {
  step?: WizardStep
  org?: string
  q?: string
  tenant?: string
  cloud?: string
}

export function parseWizardSearch(search: Record<string, unknown>): WizardSearch {
  const read = (name: string) => {
    const value = search[name]
    return typeof value === 'string' && value !== '' ? { [name]: value } : {}
  }
  const step = wizardSteps.find((step) => step === search['step'])
  return { ...read('org'), ...read('q'), ...read('tenant'), ...read('cloud'), ...(step && { step }) }
}

/** Returns the first step that is not done. Mappings are optional, so that a tested tenant has passed that step. */
export function findDueStep({ consent, mappings, testedAt, signInEnabled }: OrgEntra): WizardStep {
  if (consent !== 'granted') return 'consent'
  return mappings.length > 0 || testedAt !== null || signInEnabled ? 'review' : 'groups'
}

/** Reports whether a step can be opened: those after the consent need it. */
export const canOpen = (step: WizardStep, entra: OrgEntra): boolean =>
  step === 'tenant' || step === 'consent' || entra.consent === 'granted'

/** Returns the step to show: that of the URL if it can be opened, otherwise the one that is due. */
export const findShownStep = (step: WizardStep | undefined, entra: OrgEntra): WizardStep =>
  step && canOpen(step, entra) ? step : findDueStep(entra)

/** An organisation with a tenant. */
export type EntraOrg = Org & { entra: OrgEntra }

export const isEntraOrg = (org: Org): org is EntraOrg => org.entra !== undefined

/** The props of a step of an organisation that exists. */
export interface StepProps {
  org: EntraOrg
  onGo: (step: WizardStep, options?: { replace?: true }) => void
}
