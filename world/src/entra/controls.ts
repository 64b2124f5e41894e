import type { Context, Hono } from 'hono'
import { type Cloud, listGroupIds } from './cloud.ts'
import type { EntraTenant } from './directory.ts'
import { createPerson } from './tenants.ts'

/** Serves the forms of the control page that change a directory and its provisioning. */
export function serveControls(app: Hono, { tenants, provisioning }: Cloud): void {
  const back = (c: Context, tenant: string) => c.redirect(`/#${tenant}`, 303)

  app.post('/control/provisioning', async (c) => {
    const form = await c.req.parseBody()
    const [tenant, decision] = [String(form['tenant']), form['decision']]
    if (decision === 'stop') provisioning.stop(tenant)
    if (decision === 'save')
      provisioning.configure(tenant, { url: String(form['url']).trim(), token: String(form['token']).trim() })
    if (decision !== 'stop') await provisioning.run(tenant)
    return back(c, tenant)
  })

  app.post('/control/people', async (c) => {
    const form = await c.req.parseBody({ all: true })
    const tenant = tenants.find(({ id }) => id === form['tenant'])
    if (!tenant) return c.text('Tenant not found', 404)
    const { decision } = form
    const [oid, name] = [String(form['person'] ?? ''), String(form['name'] ?? '').trim()]
    if (decision === 'add' && name !== '') tenant.people.push(createPerson(name, tenant.defaultDomain))
    if (decision === 'save') savePerson(tenant, oid, name, [form['group'] ?? []].flat().map(String))
    if (decision === 'remove') {
      tenant.people.splice(0, tenant.people.length, ...tenant.people.filter((person) => person.oid !== oid))
      for (const group of tenant.groups ?? []) group.memberIds = group.memberIds.filter((id) => id !== oid)
    }
    if (decision === 'delete') provisioning.deleteForGood(oid)
    return back(c, tenant.id)
  })
}

/** Changes the name of a person and the groups that list them. */
function savePerson(tenant: EntraTenant, oid: string, name: string, groupIds: string[]): void {
  const person = tenant.people.find((candidate) => candidate.oid === oid)
  if (!person) return
  if (name !== '') person.name = name
  const before = new Set(listGroupIds(tenant, person))
  for (const group of tenant.groups ?? []) {
    const isWanted = groupIds.includes(group.id)
    if (isWanted && !before.has(group.id)) group.memberIds.push(oid)
    if (!isWanted) group.memberIds = group.memberIds.filter((id) => id !== oid)
  }
}
