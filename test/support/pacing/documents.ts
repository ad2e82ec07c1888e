const idOf = (number: number): string => `00000000-0000-4000-8000-${`${number}`.padStart(12, '0')}`;

/** Documents of so many calls to management each, equal to no other's. */
export const createDocuments = () => {
  let services = 0;
  return (calls: number): string => {
    const fields = Array.from({ length: calls }, (_, index) => {
      services += 1;
      const ids = `organizationId: "${idOf(0)}", serviceId: "${idOf(services)}"`;
      return `s${index}: service(${ids}) { pipes { id } }`;
    });
    return `{ ${fields.join(' ')} }`;
  };
};
