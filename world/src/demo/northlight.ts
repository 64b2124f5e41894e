import type { EntraTenant } from '../entra/directory.ts'
import { createPerson, guidOf } from '../entra/tenants.ts'

const domain = 'northlight.example'
const people = ['Iris Vale', 'Tomas Berg', 'Yuki Mori', 'Sana Iqbal', 'Leo Marchetti'].map((name) =>
  createPerson(name, domain),
)
const createGroup = (displayName: string, names: string[]) => ({
  id: guidOf(`group ${displayName}`),
  displayName,
  memberIds: people.filter(({ name }) => names.some((first) => name.startsWith(first))).map(({ oid }) => oid),
})

/** A customer of the demo world whose tenant is connected, and provisions its people. */
export const northlight: EntraTenant = {
  id: guidOf('tenant northlight'),
  displayName: 'Northlight Studios',
  defaultDomain: domain,
  verifiedDomains: [domain, 'northlight.onmicrosoft.example'],
  people,
  groups: [
    createGroup('Northlight Lighting', ['Iris', 'Tomas']),
    createGroup('Northlight Sound', ['Yuki', 'Sana', 'Leo']),
  ],
}
