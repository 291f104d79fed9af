// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Governor} from "@openzeppelin/contracts/governance/Governor.sol";
import {GovernorCountingSimple} from "@openzeppelin/contracts/governance/extensions/GovernorCountingSimple.sol";
import {GovernorVotes} from "@openzeppelin/contracts/governance/extensions/GovernorVotes.sol";
import {IVotes} from "@openzeppelin/contracts/governance/utils/IVotes.sol";
import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Votes} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Votes.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Nonces} from "@openzeppelin/contracts/utils/Nonces.sol";

// What gates read, as the tests deploy it: OpenZeppelin's contracts, and the forms in which DAOs know their members.

contract GateNft is ERC721 {
    constructor() ERC721("Gate NFT", "GATE") {}

    function mint(address to, uint256 id) external {
        _mint(to, id);
    }

    function burn(uint256 id) external {
        _burn(id);
    }
}

contract GateItems is ERC1155 {
    constructor() ERC1155("") {}

    function mint(address to, uint256 id, uint256 amount) external {
        _mint(to, id, amount, "");
    }
}

/// Counts votes by block.
contract GateVotes is ERC20, EIP712, ERC20Votes {
    constructor() ERC20("Gate votes", "VOTE") EIP712("Gate votes", "1") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Votes) {
        super._update(from, to, value);
    }
}

/// Counts votes by second (ERC-6372).
contract GateTimeVotes is GateVotes {
    function clock() public view override returns (uint48) {
        return uint48(block.timestamp);
    }

    function CLOCK_MODE() public pure override returns (string memory) {
        return "mode=timestamp";
    }
}

contract GateGovernor is Governor, GovernorCountingSimple, GovernorVotes {
    constructor(IVotes token) Governor("Gate governor") GovernorVotes(token) {}

    function votingDelay() public pure override returns (uint256) {
        return 1;
    }

    function votingPeriod() public pure override returns (uint256) {
        return 100;
    }

    function quorum(uint256) public pure override returns (uint256) {
        return 1;
    }
}

/// A governor from before ERC-6372: it counts blocks, and does not say so.
contract OldGovernor {
    ERC20Votes private immutable token;

    constructor(ERC20Votes token_) {
        token = token_;
    }

    function getVotes(address account, uint256 blockNumber) external view returns (uint256) {
        return token.getPastVotes(account, blockNumber);
    }
}

/// As Aragon's plugins know members.
contract MembersByQuestion {
    mapping(address account => bool) public isMember;

    function set(address account, bool is_) external {
        isMember[account] = is_;
    }
}

/// As a Safe knows its owners.
contract OwnersByQuestion {
    mapping(address account => bool) public isOwner;

    function set(address account, bool is_) external {
        isOwner[account] = is_;
    }
}

/// As Moloch (version 1) knows members.
contract MolochMembers {
    struct Member {
        address delegateKey;
        uint256 shares;
        bool exists;
        uint256 highestIndexYesVote;
    }

    mapping(address account => Member) public members;

    function set(address account, uint256 shares) external {
        members[account] = Member(account, shares, true, 0);
    }
}

/// As Moloch (version 2) knows members: those who are in jail have loot, and no shares.
contract Moloch2Members {
    struct Member {
        address delegateKey;
        uint256 shares;
        uint256 loot;
        bool exists;
        uint256 highestIndexYesVote;
        uint256 jailed;
    }

    mapping(address account => Member) public members;

    function set(address account, uint256 shares, uint256 loot) external {
        members[account] = Member(account, shares, loot, true, 0, 0);
    }
}

/// From before ERC-165: it counts, and does not say what.
contract OldNft {
    mapping(address account => uint256) public balanceOf;

    function mint(address to) external {
        balanceOf[to]++;
    }
}

/// Answers what nobody asked.
contract Nonsense {
    fallback() external {
        assembly {
            mstore(0, 42)
            return(0, 31)
        }
    }
}
