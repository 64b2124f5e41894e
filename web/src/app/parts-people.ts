import type { Pickable } from '../ui/Picker.tsx'

/** Generated people for the parts pages, the same each time. */
export interface Person {
  id: string
  name: string
  email: string
  isActive: boolean
  role: string | null
  createdAt: string
}

const firstNames = ['Ana', 'Bo', 'Chidi', 'Dilnoza', 'Eero', 'Fatima', 'Goran', 'Hana', 'Ilse', 'Jun', 'Kofi', 'Lucía']
const lastNames = ['Abara', 'Bergström', 'Castillo', 'Dvořák', 'Eze', 'Fontaine', 'Grün', 'Haddad', 'Ivanova', 'Jansen']

export const people: Person[] = Array.from({ length: 312 }, (_, index) => {
  const [first = '', last = ''] = [firstNames[index % 12], lastNames[(index * 7) % 10]]
  return {
    id: `0199a1f0-7c3e-7000-8000-${String(index).padStart(12, '0')}`,
    name: `${first} ${last}`,
    email: `${first}.${last}${index}@harbour.example`
      .toLowerCase()
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]/g, ''),
    isActive: index % 5 !== 3,
    role: index % 9 === 0 ? 'Passport.Developer' : null,
    createdAt: new Date(Date.UTC(2026, 0, 1) + index * 86_400_000).toISOString(),
  }
})

const matches = (word: string) => (person: Person) =>
  `${person.name} ${person.email} ${person.id}`.toLowerCase().includes(word.toLowerCase())

export const findPeople = (word: string): Person[] => people.filter(matches(word))

export async function searchPeople(text: string): Promise<Pickable[]> {
  return findPeople(text)
    .slice(0, 8)
    .map(({ id, name, email, isActive }) => ({
      id,
      name,
      detail: email,
      ...(!isActive && { disabledReason: 'Already a member' }),
    }))
}
