import type { CurrentUser } from '@passport/contract/current-user'
import { sectionsFor } from './role-pages.ts'
import { Tile } from './Tile.tsx'

/** Tiles of the most useful pages that the user's roles open. */
export function RoleTiles({ user }: { user: CurrentUser }) {
  const pages = sectionsFor(user).flatMap(({ pages }) => pages)
  return pages.map((page) => page.tile && <Tile key={page.to} {...page} label={page.tile} />)
}
