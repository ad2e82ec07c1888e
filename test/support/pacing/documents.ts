const idOf = (number: number): string => `00000000-0000-4000-8000-${`${number}`.padStart(12, '0')}`;

/** Makes unique documents with a given number of calls to management. */
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
