import { ChevronDown } from 'lucide-react'
import { Menu, type MenuItem } from '../ui/Menu.tsx'

/** The last button in the header of a record: the menu of its other actions, with the dangerous ones last. */
export function ActionsMenu({ items }: { items: MenuItem[] }) {
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
      items={items}
    />
  )
}
