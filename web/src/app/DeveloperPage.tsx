import { listSections } from './destinations.ts'
import { useCurrentUser } from './page-user.ts'
import { Tile, TileGrid } from './Tile.tsx'

/** The overview of the developer pages. */
export function DeveloperPage() {
  const user = useCurrentUser()
  const pages =
    listSections(user)
      .find(({ title }) => title === 'Developer')
      ?.pages.slice(1) ?? []
  return (
    <div>
      <h1>Developer</h1>
      <p className="mt-1 text-ink2">
        Tools for building on Stage, available with the role{' '}
        <code className="font-mono text-[12.5px]">Passport.Developer</code>.
      </p>
      <div className="mt-6">
        <TileGrid label="Developer pages">
          {pages.map((page) => (
            <Tile key={page.to} {...page} />
          ))}
        </TileGrid>
      </div>
    </div>
  )
}
