import type { Pickable } from '../ui/Picker.tsx'

/** People for the pages of parts, the same ones each time. */
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

export const people: Person[] = Array.from({ length: 312 }, (_, at) => {
  const [first = '', last = ''] = [firstNames[at % 12], lastNames[(at * 7) % 10]]
  return {
    id: `0199a1f0-7c3e-7000-8000-${String(at).padStart(12, '0')}`,
    name: `${first} ${last}`,
    email: `${first}.${last}${at}@harbour.example`
      .toLowerCase()
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]/g, ''),
    isActive: at % 5 !== 3,
    role: at % 9 === 0 ? 'Passport.Developer' : null,
    createdAt: new Date(Date.UTC(2026, 0, 1) + at * 86_400_000).toISOString(),
  }
})

const isFound = (word: string) => (person: Person) =>
  `${person.name} ${person.email} ${person.id}`.toLowerCase().includes(word.toLowerCase())

export const peopleLike = (word: string): Person[] => people.filter(isFound(word))

export async function searchPeople(text: string): Promise<Pickable[]> {
  return peopleLike(text)
    .slice(0, 8)
    .map(({ id, name, email, isActive }) => ({
      id,
      name,
      about: email,
      ...(!isActive && { taken: 'Already a member' }),
    }))
}
