import { KeyRound, type LucideProps, Sun, UsersRound } from 'lucide-react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { createIcon, type IconShape } from './create-icon.ts'

const files = import.meta.glob<{ __iconData: { node: IconShape[] } }>(
  '../../../node_modules/lucide-react/dist/esm/icons/{key-round,sun,users-round}.mjs',
)

test.for<[string, typeof Sun, LucideProps]>([
  ['sun', Sun, {}],
  ['users-round', UsersRound, { size: 16, strokeWidth: 1.5 }],
  ['key-round', KeyRound, { 'aria-label': 'Key', color: 'red' }],
  ['key-round', KeyRound, { 'aria-hidden': true, width: 12 }],
])('the icon %s has the markup of the library', async ([name, Icon, props]) => {
  const [, load] = Object.entries(files).find(([file]) => file.endsWith(`/${name}.mjs`)) ?? []
  const Bare = createIcon((await load?.())?.__iconData.node ?? [])
  expect(renderToStaticMarkup(<Bare {...props} />)).toBe(
    renderToStaticMarkup(<Icon {...props} />).replace(/ class="[^"]*"/, ''),
  )
})
