import type { OrgEntra } from '@passport/contract/org-entra'
import type { TenantDiscovery } from '@passport/contract/tenant-discovery'
import type { Tone } from '../ui/Status.tsx'

/** The answer of a cloud. */
export type CloudAnswer = TenantDiscovery['results'][number]
/** The answer of a cloud that has the tenant. */
export type Hit = Extract<CloudAnswer, { found: true }>

export const listHits = ({ results }: TenantDiscovery): Hit[] =>
  results.filter((answer): answer is Hit => answer.found === true)

const cloudNames: Record<string, string> = {
  AzurePublic: 'Microsoft Azure',
  AzureUSGovernment: 'Azure US Government',
  AzureChina: 'Azure China (21Vianet)',
}

/** Returns the display name of a cloud; its id for one that only the configuration knows. */
export const nameCloud = (cloud: string): string => cloudNames[cloud] ?? cloud

const regionNames: Record<string, string> = {
  NA: 'North America',
  EU: 'Europe',
  AS: 'Asia',
  OC: 'Oceania',
  AF: 'Africa',
  SA: 'South America',
  WW: 'Worldwide',
}

/** Returns the display name of a tenant's region, with its part of a government cloud. */
export const nameRegion = ({ region, subScope }: Pick<Hit, 'region' | 'subScope'>): string =>
  [region && (regionNames[region] ?? region), subScope].filter(Boolean).join(', ') || '–'

/** Returns the name of a tenant; Microsoft discloses it only with a permission, otherwise its domain or id serves. */
export const nameTenant = (hit: Hit, domain: string | null): string =>
  hit.displayName ?? hit.federationBrandName ?? hit.defaultDomainName ?? domain ?? hit.tenantId

const consentStates: Record<OrgEntra['consent'], [Tone, label: string]> = {
  none: ['off', 'Not requested'],
  pending: ['warn', 'Waiting'],
  granted: ['ok', 'Granted'],
  revoked: ['bad', 'Revoked'],
}

/** Returns the tone and word of a consent. */
export const describeConsent = (consent: OrgEntra['consent']): [Tone, label: string] => consentStates[consent]
