import { createHash } from 'node:crypto'
import type { EntraGroup, EntraPerson, EntraTenant } from './directory.ts'

/** Returns the GUID of a name; the same name always gives the same. */
export function guidOf(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Creates a person with an email at a domain: “Mira Olsen” is mira.olsen@domain. */
export function createPerson(name: string, domain: string, more: Partial<EntraPerson> = {}): EntraPerson {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}@${domain}`
  return { oid: guidOf(`person ${email}`), name, email, upn: email, ...more }
}

/** Creates a guest of a tenant, whose user principal name ends with the initial domain of the tenant. */
function createGuest(name: string, homeDomain: string, initialDomain: string): EntraPerson {
  const person = createPerson(name, homeDomain)
  const upn = `${person.email.replace('@', '_')}#EXT#@${initialDomain}`
  return { ...person, oid: guidOf(`guest ${upn}`), upn, guest: true }
}

const createGroup = (displayName: string, members: EntraPerson[]): EntraGroup => ({
  id: guidOf(`group ${displayName}`),
  displayName,
  memberIds: members.map(({ oid }) => oid),
})

const mira = createPerson('Mira Olsen', 'meridian.example', { roles: ['Dispatcher'] })
const jonas = createPerson('Jonas Weber', 'meridian.example')
const amara = createPerson('Amara Diallo', 'meridian.example', { roles: ['Auditor'] })
const lena = createGuest('Lena Roth', 'partner.example', 'meridian.onmicrosoft.example')

const meridian: EntraTenant = {
  id: guidOf('tenant meridian'),
  displayName: 'Meridian Freight',
  defaultDomain: 'meridian.example',
  verifiedDomains: ['meridian.example', 'meridian-cargo.example', 'meridian.onmicrosoft.example'],
  people: [mira, jonas, amara, lena],
  groups: [
    createGroup('Meridian Dispatch', [mira, jonas]),
    createGroup('Meridian Finance', [amara]),
    createGroup('Meridian Everyone', [mira, jonas, amara]),
  ],
}

const ines = createPerson('Ines Duarte', 'marisol.example')
const paulo = createPerson('Paulo Reis', 'marisol.example')

const marisol: EntraTenant = {
  id: guidOf('tenant marisol'),
  displayName: 'Marisol Hospitals',
  defaultDomain: 'marisol.example',
  verifiedDomains: ['marisol.example', 'marisol.onmicrosoft.example'],
  federated: true,
  people: [ines, paulo],
  groups: [createGroup('Marisol Nurses', [ines])],
}

const hugo = createPerson('Hugo Lindqvist', 'vastra.example')
const petra = createPerson('Petra Nilsson', 'vastra.example')

/** Hugo is in so many groups that his ID tokens do not list them. */
const vastra: EntraTenant = {
  id: guidOf('tenant vastra'),
  displayName: 'Västra Engineering',
  defaultDomain: 'vastra.example',
  verifiedDomains: ['vastra.example', 'vastra.onmicrosoft.example'],
  people: [hugo, petra],
  groups: Array.from({ length: 250 }, (_, index) =>
    createGroup(`Västra Project ${index + 1}`, index < 3 ? [hugo, petra] : [hugo]),
  ),
}

const dana = createPerson('Dana Whitfield', 'harborcounty.example')
const marcus = createPerson('Marcus Bell', 'harborcounty.example')

const harborCounty: EntraTenant = {
  id: guidOf('tenant harborcounty'),
  displayName: 'Harbor County',
  defaultDomain: 'harborcounty.example',
  verifiedDomains: ['harborcounty.example', 'harborcounty.onmicrosoft.example'],
  region: 'USGov',
  subScope: 'DODCON',
  people: [dana, marcus],
  groups: [createGroup('Harbor County Clerks', [dana, marcus])],
}

const wei = createPerson('Wei Zhang', 'orient.example')
const erik = createPerson('Erik Brandt', 'orient.example')

/** The domain of this tenant is also that of a tenant in China. */
const orient: EntraTenant = {
  id: guidOf('tenant orient'),
  displayName: 'Orient Line',
  defaultDomain: 'orient.example',
  verifiedDomains: ['orient.example', 'orient.onmicrosoft.example'],
  people: [erik],
  groups: [createGroup('Orient Line Crew', [erik])],
}

const orientChina: EntraTenant = {
  id: guidOf('tenant orient china'),
  displayName: 'Orient Line (Shanghai)',
  defaultDomain: 'orient.example',
  verifiedDomains: ['orient.example', 'orient.partner.onmschina.example'],
  region: 'AS',
  people: [wei],
  groups: [createGroup('Orient Line Shanghai Crew', [wei])],
}

/** The tenants of the simulated clouds, by the id of the cloud. */
export const allTenants: Record<string, EntraTenant[]> = {
  AzurePublic: [meridian, marisol, vastra, orient],
  AzureUSGovernment: [harborCounty],
  AzureChina: [orientChina],
}
