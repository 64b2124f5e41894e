import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Check } from '../ui/Check.tsx'
import { Confirm } from '../ui/Dialog.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Field } from '../ui/Field.tsx'
import { Identicon } from '../ui/Identicon.tsx'
import { Menu } from '../ui/Menu.tsx'
import { Panel } from '../ui/Panel.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { SearchBox } from '../ui/SearchBox.tsx'
import { Select } from '../ui/Select.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Status } from '../ui/Status.tsx'
import { Tag } from '../ui/Tag.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import { type ToastOptions, toast } from '../ui/toast.ts'

const variants = ['plain', 'primary', 'danger', 'ghost'] as const
const choices = [
  { value: 'one', label: 'One' },
  { value: 'two', label: 'Two' },
]
const people: Pickable[] = ['Ana Abara', 'Bo Bergström', 'Chidi Castillo'].map((name) => ({ id: name, name }))
const searchUsers = async (text: string) => people.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
const types: NonNullable<ToastOptions['type']>[] = ['success', 'error', 'warning', 'info', 'default']

/** Every component in its states; only in development. */
export function UiPartsPage() {
  const [isConfirming, setConfirming] = useState(false)
  const [picked, setPicked] = useState<Pickable[]>([])
  return (
    <div className="grid max-w-[860px] gap-6">
      <h1>Parts</h1>
      <Card title="Buttons">
        <div className="flex flex-wrap gap-2 px-5 pb-5">
          {variants.map((variant) => (
            <Button key={variant} variant={variant} onClick={() => setConfirming(true)}>
              {variant}
            </Button>
          ))}
          <Button isBusy>busy</Button>
          <Button isSmall>small</Button>
          <Menu
            label="A menu"
            trigger="Menu"
            items={[
              { label: 'One', onSelect: () => {} },
              { label: 'Two', isDanger: true, onSelect: () => {} },
            ]}
          />
        </div>
      </Card>
      <Card title="Messages">
        <div className="flex flex-wrap gap-2 px-5 pb-5">
          {types.map((type) => (
            <Button
              key={type}
              onClick={() => void toast({ type, content: `This is ${type}`, action: { label: 'Undo', run: () => {} } })}
            >
              {type}
            </Button>
          ))}
        </div>
      </Card>
      <Card title="Fields">
        <div className="grid gap-4 px-5 pb-5">
          <Field label="With a hint" hint="Lower-case letters" />
          <Field label="With an error" error="Enter a valid value." defaultValue="wrong" />
          <Select label="A choice" options={choices} />
          <TextArea label="Several lines" hint="As many as you like" />
          <Check>A box</Check>
          <SearchBox label="Search" placeholder="Name, email or ID" value="" onSearch={() => {}} />
          <Picker label="Users" placeholder="Name or email" search={searchUsers} picked={picked} onPick={setPicked} />
          <Panel label="More" trigger="More">
            A panel
          </Panel>
        </div>
      </Card>
      <Card title="Identicons and tags">
        <div className="flex flex-wrap items-center gap-3 px-5 pb-5">
          {['a', 'b', 'c', 'd'].map((seed, index) => (
            <Identicon key={seed} seed={seed} size={28 + index * 24} />
          ))}
          <Identicon seed="stage" size={88} isGold />
          <Tag>Passport.Admin</Tag>
          {(['ok', 'warn', 'bad', 'off'] as const).map((tone) => (
            <Status key={tone} tone={tone}>
              {tone}
            </Status>
          ))}
        </div>
      </Card>
      <ErrorCard
        failure={{
          title: "Couldn't load users",
          detail: 'Something went wrong. Reload the page.',
          supportCode: '0AF7-6519',
        }}
        onRetry={() => {}}
      />
      <Card title="Nothing">
        <Empty kind="nothing yet" title="Nothing yet" />
        <Empty kind="no match" title="No match" />
        <Empty kind="no permission" title="No permission" />
      </Card>
      <Card title="Loading">
        <Skeleton label="Loading" rows={3} />
      </Card>
      <Confirm
        isOpen={isConfirming}
        title="Really?"
        action="Do it"
        onConfirm={() => setConfirming(false)}
        onClose={() => setConfirming(false)}
      >
        This can't be undone.
      </Confirm>
    </div>
  )
}
