import type { RoleEffect } from '@passport/contract/role-effect'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { RoleEffectList } from './RoleEffectList.tsx'

const ana = { id: 'a', name: 'Ana' }
const bo = { id: 'b', name: 'Bo' }

const renderLines = (loses: RoleEffect['loses']) => renderEffect({ gains: [], loses })

function renderEffect(effect: RoleEffect) {
  const list = document.createElement('div')
  list.innerHTML = renderToStaticMarkup(<RoleEffectList effect={effect} />)
  return [...list.querySelectorAll('li')].map(({ textContent }) => textContent)
}

test('roles that the same users lose share a line', () => {
  const effects = [
    { role: 'Stage.Editor', people: 1, sample: [ana] },
    { role: 'Stage.Viewer', people: 2, sample: [ana, bo] },
    { role: 'Wiki.Editor', people: 1, sample: [ana] },
  ]
  expect(renderLines(effects)).toEqual([
    '1 user loses Stage.Editor Wiki.Editor: Ana',
    '2 users lose Stage.Viewer: Ana, Bo',
  ])
})

test('groups that users join or leave are listed with the roles', () => {
  const crew = { groupId: 'c', name: 'Crew', people: 1, sample: [ana] }
  const guests = { groupId: 'g', name: 'Guests', people: 1, sample: [bo] }
  expect(
    renderEffect({
      gains: [{ role: 'Stage.Editor', people: 1, sample: [ana] }],
      loses: [],
      groups: { gains: [crew], loses: [guests] },
    }),
  ).toEqual(['1 user gains Stage.Editor Crew: Ana', '1 user loses Guests: Bo'])
})

test('roles of more users than the sample has may differ in their users, and have a line each', () => {
  const effects = ['Stage.Editor', 'Wiki.Editor'].map((role) => ({ role, people: 20, sample: [ana, bo] }))
  expect(renderLines(effects)).toEqual([
    '20 users lose Stage.Editor: Ana, Bo and 18 more',
    '20 users lose Wiki.Editor: Ana, Bo and 18 more',
  ])
})

test('the effect on the user whom the question names is a number of roles', () => {
  const loses = ['Stage.Editor', 'Wiki.Editor'].map((role) => ({ role, people: 1, sample: [ana] }))
  const html = renderToStaticMarkup(<RoleEffectList effect={{ gains: [], loses }} isOneUser />)
  expect(
    html
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  ).toBe('Loses 2 roles Stage.Editor Wiki.Editor')
})
