import { parseHomeRealm } from '@passport/contract/home-realm'
import type { SignInDecision } from '@passport/contract/tenant-discovery'
import type { Services } from '../feature.ts'
import { findOnlyProvider, findRealm } from './realm.ts'

export type Decision = Omit<SignInDecision, 'email'>

/**
 * Decides where a sign-in continues after a user entered an email address, or in its place a domain or a tenant id. The
 * sign-in page and its simulation both call this function.
 */
export async function decideSignIn(
  services: Pick<Services, 'sql' | 'config' | 'enabledTenants'>,
  input: string,
): Promise<Decision> {
  const question = parseHomeRealm(input)
  const nowhere = { provider: null, tenantId: null, org: null }
  if (!question) {
    const steps: Decision['steps'] = [{ rule: 'input', result: 'Not an email address, a domain or a tenant id' }]
    return { ...nowhere, steps, outcome: 'refused', reason: 'domain-invalid' }
  }
  const { org, tenant, provider, reason, steps: realmSteps } = await findRealm(services.sql, services.config, question)
  const steps: Decision['steps'] = [{ rule: 'input', result: question.domain ?? question.tenantId }, ...realmSteps]
  if (tenant) return { ...nowhere, org, tenantId: tenant.id, steps, outcome: 'entra', reason: null }
  const offered = provider ?? (question.domain === undefined ? undefined : await findDefaultProvider(services))
  if (!offered) {
    steps.push({ rule: 'provider', result: 'The user chooses how to sign in' })
    return { ...nowhere, org, steps, outcome: 'choice', reason }
  }
  steps.push({ rule: 'provider', result: `${offered.name} is the only identity provider` })
  const outcome = offered.kind === 'local' ? 'local' : 'provider'
  return { ...nowhere, org, provider: offered.id, steps, outcome, reason: null }
}

/** Returns the provider of a user about whom nothing is known: the only one, unless others sign in through a tenant. */
export async function findDefaultProvider({ config, enabledTenants }: Pick<Services, 'config' | 'enabledTenants'>) {
  return (await enabledTenants.isAny()) ? undefined : findOnlyProvider(config)
}
