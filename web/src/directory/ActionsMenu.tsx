import { ChevronDown } from 'lucide-react'
import { Menu, type MenuItem } from '../ui/Menu.tsx'

/** The last button in the head of a record: everything else that can be done with it, the dangerous actions last. */
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
