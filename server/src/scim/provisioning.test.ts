import { readFileSync } from 'node:fs'
import { listGroupMembers, listGroups } from '@passport/contract/groups'
import { getProvisioning } from '@passport/contract/scim'
import { listUsers } from '@passport/contract/users'
import { expect, test } from 'vitest'
import { startEntraService } from '../entra/test-entra.ts'
import { createTestClient } from './test-client.ts'

test('the Entra of the demo world pushes users, changes, leavers and groups, by its control page too', async () => {
  const entra = await startEntraService()
  const client = await createTestClient(entra, 'meridian.example')
  const url = `${entra.service.url}/passport/scim/v2/${client.orgId}`
  const control = (path: string, fields: [string, string][]) =>
    fetch(`${entra.entra.authority}/control/${path}`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams([['tenant', client.tenantId], ...fields]),
    })
  const { provisioning, tenants } = entra.entra
  const cycle = async () => {
    const { kind, steps, error } = await provisioning.run(client.tenantId)
    return { kind, error, sent: steps.map(({ method, status }) => `${method} ${status}`) }
  }
  const readUsers = async () => {
    const { items } = await entra.ada.call(listUsers, { query: { org: client.orgId, limit: 200 } } as never)
    return (items as { displayname: string; status: string }[])
      .map(({ displayname, status }) => `${displayname} ${status}`)
      .sort()
  }
  await control('provisioning', [
    ['url', url],
    ['token', client.token],
    ['decision', 'save'],
  ])
  const initial = provisioning.find(client.tenantId)?.cycles[0]
  expect(initial).toMatchObject({ kind: 'initial' })
  expect(initial?.steps.filter(({ status }) => status >= 400)).toEqual([])
  expect(await readUsers()).toEqual(['Amara Diallo active', 'Jonas Weber active', 'Mira Olsen active'])
  const page = await entra.ada.call(listGroups, { query: { orgId: client.orgId, limit: 50, page: 1 } } as never)
  const items = page.items as { id: string; name: string; memberCount: number; isProvisioned: boolean }[]
  expect(items.map(({ name, memberCount, isProvisioned }) => [name, memberCount, isProvisioned])).toEqual([
    ['Meridian Dispatch', 2, true],
    ['Meridian Everyone', 3, true],
    ['Meridian Finance', 1, true],
  ])
  expect(await cycle()).toEqual({ kind: 'incremental', sent: [] })

  const mira = tenants.flatMap(({ people }) => people).find(({ name }) => name === 'Mira Olsen')
  const finance = tenants
    .flatMap(({ groups = [] }) => groups)
    .find(({ displayName }) => displayName === 'Meridian Finance')
  await control('people', [
    ['person', mira?.oid ?? ''],
    ['name', 'Mira Lind'],
    ['group', finance?.id ?? ''],
    ['decision', 'save'],
  ])
  await control('people', [
    ['name', 'Nora Berg'],
    ['decision', 'add'],
  ])
  const changed = await cycle()
  expect(changed.sent).toEqual(expect.arrayContaining(['PATCH 200', 'POST 201', 'PATCH 204']))
  expect(await readUsers()).toEqual([
    'Amara Diallo active',
    'Jonas Weber active',
    'Mira Lind active',
    'Nora Berg active',
  ])
  const membersOf = async (name: string) => {
    const group = items.find((candidate) => candidate.name === name)
    const { items: members } = await entra.ada.call(listGroupMembers, {
      params: { groupId: group?.id ?? '' },
      query: {},
    } as never)
    return (members as { displayname: string }[]).map(({ displayname }) => displayname).sort()
  }
  expect([await membersOf('Meridian Finance'), await membersOf('Meridian Dispatch')]).toEqual([
    ['Amara Diallo', 'Mira Lind'],
    ['Jonas Weber'],
  ])

  await control('people', [
    ['person', mira?.oid ?? ''],
    ['decision', 'remove'],
  ])
  await cycle()
  expect(await readUsers()).toContain('Mira Lind disabled')
  expect(provisioning.find(client.tenantId)?.leavers).toEqual([{ oid: mira?.oid, userName: mira?.upn }])
  await control('people', [
    ['person', mira?.oid ?? ''],
    ['decision', 'delete'],
  ])
  expect((await cycle()).sent).toEqual(['DELETE 204'])
  expect(await readUsers()).not.toContain('Mira Lind disabled')
  const { counts, tokens } = await entra.ada.call(getProvisioning, { params: { orgId: client.orgId } })
  expect(counts).toEqual({ users: 3, inactive: 0, membershipOnly: 0, groups: 3 })
  expect(tokens[0]?.lastUse).toMatchObject({ ip: '127.0.0.1' })
  const controls = await (await fetch(entra.entra.authority)).text()
  expect(controls).toContain('Last cycle (incremental)')

  provisioning.configure(client.tenantId, { url, token: `${client.token.slice(0, -1)}x` })
  expect((await cycle()).error).toContain('The credentials are invalid')
})

test('the guide names what the service returns', () => {
  const guide = readFileSync(new URL('../../../docs/guide/provisioning.md', import.meta.url), 'utf8')
  for (const text of [
    'Map externalId to objectId',
    'invalidFilter',
    'Save and provision',
    'mira.olsen@meridian.example',
  ])
    expect(guide).toContain(text)
})
