import { render } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Highlight, SearchText } from './Highlight.tsx'

test.for([
  ['ad', 'Ada Lovelace', ['Ad']],
  ['love ada', 'Ada Lovelace', ['Ada', 'Love']],
  ['el', 'Adèle Perrin', []],
  ['ada', 'ada.noel@ada.example', ['ada', 'ada']],
  ['a.b(', 'axb a.b(c', ['a.b(']],
  [' ', 'Ada', []],
] as const)('the search %j marks in %j the words %j', ([search, text, marks]) => {
  const { container } = render(
    <SearchText value={search}>
      <Highlight text={text} />
    </SearchText>,
  )
  expect(container.textContent).toBe(text)
  expect([...container.querySelectorAll('mark')].map(({ textContent }) => textContent)).toEqual(marks)
})
