import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import brandSeal from '../../public/seal.svg?raw'
import { drawIdenticon } from './identicon-path.ts'

describe('drawSeal', () => {
  test('is stable across machines and releases', () => {
    const { hue, rings } = drawIdenticon('0192f0c1-7e57-7abc-8def-0123456789ab')
    expect(hue).toBe(137)
    expect(rings.map((ring) => ring.slice(0, 24))).toEqual([
      'M93.9 50.0L89.2 52.6L82.',
      'M73.0 50.0L70.4 51.3L74.',
      'M68.2 50.0L67.7 51.2L68.',
    ])
  })

  test('does not depend on earlier drawings', async () => {
    const first = drawIdenticon('ada')
    vi.resetModules()
    const reloaded = await import('./identicon-path.ts')
    reloaded.drawIdenticon('eve')
    expect(reloaded.drawIdenticon('ada')).toEqual(first)
  })

  test('differs between ids, even adjacent ones', () => {
    const ids = Array.from({ length: 1000 }, (_, index) => `user-${index}`)
    expect(new Set(ids.map((id) => JSON.stringify(drawIdenticon(id)))).size).toBe(ids.length)
  })

  test('has a hue and three closed rings within its square for any id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (seed) => {
        const { hue, rings } = drawIdenticon(seed)
        expect(hue).toBeGreaterThanOrEqual(0)
        expect(hue).toBeLessThan(360)
        expect(new Set(rings).size).toBe(3)
        for (const ring of rings) {
          expect(ring).toMatch(/^M[\d. L]+ZM[\d. L]+Z$/)
          const distance = Math.max(...(ring.match(/[\d.]+/g) ?? []).map((number) => Math.abs(Number(number) - 50)))
          expect(distance).toBeLessThanOrEqual(46)
        }
      }),
    )
  })

  test('matches the brand favicon', () => {
    const paths = [...brandSeal.matchAll(/<path d="([^"]+)"/g)].map(([, path = '']) => path)
    // The file returns to the first point before it closes a ring.
    const normalizedPaths = paths.map((path) => path.replace(/M([\d. ]+)L([^Z]*)L\1Z/g, 'M$1L$2Z'))
    expect(normalizedPaths).toEqual(drawIdenticon('stage').rings)
  })
})
