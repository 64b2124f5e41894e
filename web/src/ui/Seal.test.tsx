import { render } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Seal } from './Seal.tsx'
import { drawSeal } from './seal-path.ts'

const drawn = (seal: React.ReactElement) => {
  const svg = render(seal).container.querySelector('svg')
  const paths = [...(svg?.querySelectorAll('path') ?? [])].map((path) => path.getAttribute('d'))
  return { svg, paths }
}

test('a seal has the size that it is given and is not read out', () => {
  const { svg } = drawn(<Seal seed="ada" size={60} />)
  expect(svg?.getAttribute('width')).toBe('60')
  expect(svg?.getAttribute('height')).toBe('60')
  expect(svg?.getAttribute('aria-hidden')).toBe('true')
})

test('a small one is the same with fewer and bolder lines', () => {
  const { rings } = drawSeal('ada')
  const large = drawn(<Seal seed="ada" size={40} />)
  const small = drawn(<Seal seed="ada" size={39} />)
  expect(large.paths).toEqual(rings)
  expect(small.paths).toEqual(rings.slice(0, 2))
  expect(Number(small.svg?.getAttribute('stroke-width'))).toBeGreaterThan(
    Number(large.svg?.getAttribute('stroke-width')),
  )
})

test('gold is of one colour, whatever it stands for', () => {
  const style = (seed: string) => drawn(<Seal seed={seed} isFoil />).svg?.getAttribute('style')
  expect(style('ada')).toBe(style('eve'))
  expect(style('ada')).toContain('var(--foil)')
})
