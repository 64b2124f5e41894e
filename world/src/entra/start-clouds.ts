import { type EntraTenant, type RunningEntra, startEntra } from './entra.ts'
import { guidOf } from './tenants.ts'

/** A cloud of the demo world, and the entry of `ENTRA_CLOUDS` that connects Passport to it. */
export interface StartedCloud {
  entra: RunningEntra
  configuration: {
    id: string
    authority: string
    graph: string
    clientId: string
    clientSecret: string
    tenantId: string
    userRealm: boolean
  }
}

/** Microsoft Entra provisions every 40 minutes. */
const provisionEverySeconds = 30

/** Creates the tenant of the operator in a cloud, in which Passport is registered and may read the names of others. */
const createOperator = (id: string): EntraTenant => ({
  id: guidOf(`tenant operator ${id}`),
  displayName: 'Stage Operations',
  defaultDomain: 'stage.example',
  verifiedDomains: ['stage.example'],
  people: [],
})

/**
 * Starts the commercial cloud and those of the US government and China on three ports from `firstPort`, or on free ones
 * for 0. Passport is registered in each of them, and each sign-in shows the page. Consents are kept in `dataDir`, like
 * those in Passport.
 */
export async function startClouds(firstPort: number, passportUrl: string, dataDir: string): Promise<StartedCloud[]> {
  const clouds = await Promise.all(
    ['AzurePublic', 'AzureUSGovernment', 'AzureChina'].map(async (id, index) => {
      const registration = { id, clientId: guidOf(`application ${id}`), clientSecret: `known-to-everyone-${id}` }
      const entra = await startEntra({
        ...registration,
        port: firstPort && firstPort + index,
        redirectUris: [`${passportUrl}/login/callback/entra`],
        consentRedirectUri: `${passportUrl}/passport/connect/entra/adminconsent/callback`,
        alwaysAsks: true,
        provisionEverySeconds,
        consentFile: `${dataDir}/consents-${id}.json`,
      })
      const operator = createOperator(id)
      entra.tenants.push(operator)
      entra.grantConsent(operator.id, ['CrossTenantInformation.ReadBasic.All'])
      const { authority, graph } = entra
      return { entra, configuration: { ...registration, authority, graph, tenantId: operator.id, userRealm: true } }
    }),
  )
  const [commercial, government] = clouds
  for (const tenant of government?.entra.tenants.filter(({ people }) => people.length > 0) ?? [])
    commercial?.entra.tenants.push({
      ...tenant,
      people: [],
      groups: [],
      home: { id: 'AzureUSGovernment', authority: government?.entra.authority ?? '' },
    })
  return clouds
}
