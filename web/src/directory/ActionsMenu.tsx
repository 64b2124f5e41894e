import { ChevronDown } from 'lucide-react'
import { Menu, type MenuItem } from '../ui/Menu.tsx'
import { listCopyItems } from './copy-items.tsx'

/**
 * The last button in the header of a record: the menu of its other actions and those that copy the page, with the
 * dangerous ones last.
 */
export function ActionsMenu({ items }: { items: MenuItem[] }) {
  const all = [
    ...items.filter(({ isDanger }) => !isDanger),
    ...listCopyItems(),
    ...items.filter(({ isDanger }) => isDanger),
  ]
  return (
    <Menu
      label="Actions"
      className="btn"
      trigger={
        <>
          Actions
          <ChevronDown size={15} />
        </>
      }
      items={all}
    />
  )
}
