import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const branded = async (head: string) => {
  document.head.innerHTML = head
  return import('./brand.ts')
}

beforeEach(() => void vi.resetModules())
afterEach(() => {
  document.head.innerHTML = ''
})

test.for([
  ['the brand that the server wrote', '<meta name="brand" content="Orchard &amp; Sons">', 'Orchard & Sons'],
  ['none', '', 'Stage Passport'],
  ['an empty one', '<meta name="brand" content="">', 'Stage Passport'],
] as const)('with %s the product has its name', async ([, head, name]) => {
  const { brandName, windowTitle } = await branded(head)
  expect(brandName).toBe(name)
  expect(windowTitle('Roles')).toBe(`Roles | ${name}`)
  expect(windowTitle(undefined)).toBe(name)
})
