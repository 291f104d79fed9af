// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";

/// An NFT anyone may mint, for trying gates.
contract DemoNft is ERC721 {
    uint256 private last;

    constructor() ERC721("Demo NFT", "DEMO") {}

    function mint(address to) external {
        _mint(to, ++last);
    }
}
