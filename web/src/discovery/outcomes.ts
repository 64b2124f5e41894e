import type { SignInDecision } from '@passport/contract/tenant-discovery'
import type { Tone } from '../ui/Status.tsx'

const outcomes: Record<SignInDecision['outcome'], [Tone, label: string]> = {
  entra: ['ok', 'Microsoft Entra'],
  provider: ['ok', 'Provider'],
  local: ['ok', 'Local account'],
  choice: ['off', 'Choice page'],
  refused: ['bad', 'Refused'],
}

/** Returns the tone and the word of an outcome. */
export const describeOutcome = ({ outcome }: SignInDecision): [Tone, label: string] => outcomes[outcome]

/** The names of the rules of a sign-in. */
export const ruleNames: Record<SignInDecision['steps'][number]['rule'], string> = {
  input: 'Domain',
  organisation: 'Organisation',
  tenant: 'Tenant',
  enabled: 'Enabled',
  cloud: 'Cloud',
  provider: 'Provider',
}

/** The rules in the order of a decision, with what each asks. */
export const ruleQuestions: [name: string, question: string][] = [
  [ruleNames.input, 'Which domain does the address have?'],
  [ruleNames.organisation, 'Whose verified domain is it?'],
  [ruleNames.tenant, 'Is a tenant connected?'],
  [ruleNames.enabled, 'Is sign-in switched on?'],
  [ruleNames.cloud, 'Is its cloud set up here?'],
  [ruleNames.provider, 'Without a tenant: which provider?'],
]

const reasons: Record<NonNullable<SignInDecision['reason']>, string> = {
  'domain-invalid': 'Not an email address',
  'no-organisation': 'No organisation has the domain',
  'no-tenant': 'The organisation has no tenant',
  'sign-in-disabled': 'Sign-in is disabled',
  'cloud-not-configured': 'The cloud is not configured',
}

/** Returns the reason for a choice or a refusal; an empty text for a decision. */
export const nameDecisionReason = ({ reason }: SignInDecision): string => (reason ? reasons[reason] : '')
