import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const loadBrand = async (head: string) => {
  document.head.innerHTML = head
  return import('./brand.ts')
}

beforeEach(() => void vi.resetModules())
afterEach(() => {
  document.head.innerHTML = ''
})

test.for([
  ['a brand from the server', '<meta name="brand" content="Orchard &amp; Sons">', 'Orchard & Sons'],
  ['no brand', '', 'Stage Passport'],
  ['an empty brand', '<meta name="brand" content="">', 'Stage Passport'],
] as const)('with %s, returns the product name', async ([, head, name]) => {
  const { brandName, formatPageTitle } = await loadBrand(head)
  expect(brandName).toBe(name)
  expect(formatPageTitle('Roles')).toBe(`Roles | ${name}`)
  expect(formatPageTitle(undefined)).toBe(name)
})
